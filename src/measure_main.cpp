#include "gridcast/cli/app.h"

int main(int argc, char** argv) { return gridcast::cli::run_measure(argc, argv); }
