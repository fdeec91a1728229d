// A text as a cell of a table for spreadsheets: the same rules as csv_cell() of the program.
function csvCell(text) {
  text = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  if (/^ *[=+\-@]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) text = `'${text}`;
  return /[,;"#]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
