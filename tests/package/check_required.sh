#!/bin/sh
# In the top folder, after a build with the required packages alone (tools/check-fresh): what is off says so in one line,
# everything else works, installed as well, and a program of somebody else finds the library.
set -eu
configs=$PWD/configs
source=$PWD
cmake --preset release | grep "gridcast: without"
[ "$(cmake --preset release | grep -c "gridcast: without")" = 3 ]
cmake --install build/release --prefix /opt/gridcast >/dev/null
PATH=/opt/gridcast/bin:$PATH
rm -rf /tmp/required
mkdir /tmp/required
cd /tmp/required

# is_off WORDS COMMAND...: ends with exit code 2 and one line with what it lacks.
is_off() {
  lacks=$1
  shift
  code=0
  "$@" >said 2>&1 || code=$?
  cat said
  if [ "$code" != 2 ] || [ "$(wc -l <said)" != 1 ] || ! grep -q "this gridcast .*$lacks" said; then
    echo "$* ends with $code and does not say in one line that it lacks $lacks" >&2
    exit 1
  fi
}

gridcast examples heat3d
cd heat3d
gridcast predict heat3d.toml --machine cluster.par --grid 2x2x2 --html page.html
[ -s page.html ]
gridcast sweep heat3d.toml --machine cluster.par --max-processors 16 --store s.h5
printf 'p1,p2,p3,seconds\n1,1,1,8\n2,2,1,4\n' >measured.csv
is_off Ceres gridcast calibrate heat3d.toml --machine cluster.par --measured measured.csv
is_off "gridcast-measure need" gridcast-measure -o m.par
is_off d3 gridcast report s.h5 --html search.html

cmake -S "$source/tests/package" -B /tmp/required/consumer -DCMAKE_PREFIX_PATH=/opt/gridcast -DCMAKE_BUILD_TYPE=Release
cmake --build /tmp/required/consumer
/tmp/required/consumer/consumer "$configs/programs/jacobi2d.toml" "$configs/mvs.par" 64
