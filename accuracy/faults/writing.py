"""A draft as the bytes of a file: delimited text, a workbook, JSON; plain or packed."""

import datetime
import gzip
import io
import json
import zipfile
from decimal import Decimal
from xml.sax.saxutils import escape

from .draft import Draft, Line, UnfitError, iso

_FIRST_DAY = datetime.datetime(1899, 12, 30)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{}+xml"/>{}</Types>'
)
_OVERRIDE = (
    '<Override PartName="/xl/{}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{}+xml"/>'
)
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATION = '<Relationship Id="rId{}" Type="' + _OFFICE + '/{}" Target="{}"/>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1">'
    '<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="14" '
    'applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def file_name(draft: Draft, stem: str) -> str:
    """Return the name of the file, its suffixes those of what it is."""
    plain = f"{stem}.{_suffix(draft)}"
    return {"": plain, "gz": f"{plain}.gz", "zip": f"{stem}.zip"}[draft.packing]


def file_bytes(draft: Draft, stem: str) -> bytes:
    """Return the bytes of the file; UnfitError if what it is cannot hold the table."""
    made = {"text": _text, "xlsx": _workbook, "json": _json, "jsonl": _json}[draft.source](draft)
    if draft.packing == "gz":
        return gzip.compress(made, mtime=0)
    return _zipped({f"{stem}.{_suffix(draft)}": made}) if draft.packing == "zip" else made


def _suffix(draft: Draft) -> str:
    if draft.source != "text":
        return draft.source
    return "tsv" if draft.delimiter == "\t" else "csv"


def _text(draft: Draft) -> bytes:
    lines = [_line(draft, line) for line in draft.lines()]
    text = draft.newline.join(lines) + (draft.newline if draft.last_newline else "")
    try:
        return draft.mark + text.encode(draft.encoding)
    except UnicodeEncodeError as error:
        raise UnfitError from error


def _line(draft: Draft, line: Line) -> str:
    return draft.delimiter.join(cell if line.bare and '"' in cell else _quoted(draft, cell) for cell in line.cells)


def _quoted(draft: Draft, cell: str) -> str:
    needed = draft.delimiter in cell or "\n" in cell or '"' in cell
    return f'"{cell.replace(chr(34), chr(34) * 2)}"' if needed or draft.quote_all else cell


def _json(draft: Draft) -> bytes:
    names = draft.header or []
    if len(set(names)) < len(names) or not all(names):
        raise UnfitError
    records = [
        {name: _json_cell(draft, number, place) for place, name in enumerate(names)}
        for number in range(len(draft.rows))
    ]
    if draft.source == "json":
        return json.dumps(records, ensure_ascii=False, indent=1).encode()
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _json_cell(draft: Draft, row: int, place: int) -> str | int | float | None:
    value = draft.rows[row][place]
    if value is None:
        return draft.marks.get((row, place))
    plain = draft.text(row, place)
    if isinstance(value, int | Decimal) and plain == str(value):
        return value if isinstance(value, int) else float(value)
    return plain


def _workbook(draft: Draft) -> bytes:
    """Return a workbook of one sheet, its text within the cells, numbers and days as such where they are plain."""
    rows = []
    data = iter(range(len(draft.rows)))
    for number, line in enumerate(draft.lines(), 1):
        row = next(data) if line.role == "data" else None
        cells = "".join(_sheet_cell(draft, row, place, cell) for place, cell in enumerate(line.cells))
        rows.append(f'<row r="{number}">{cells}</row>')
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>'
    book = (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>'
        "</workbook>"
    )
    parts = (("worksheets/sheet1", "worksheet"), ("styles", "styles"))
    overrides = "".join(_OVERRIDE.format(*part) for part in parts)
    inner = _RELATION.format(1, "worksheet", "worksheets/sheet1.xml") + _RELATION.format(2, "styles", "styles.xml")
    return _zipped(
        {
            "[Content_Types].xml": _TYPES.format("sheet.main", overrides).encode(),
            "_rels/.rels": _RELATIONS.format(_RELATION.format(1, "officeDocument", "xl/workbook.xml")).encode(),
            "xl/workbook.xml": book.encode(),
            "xl/_rels/workbook.xml.rels": _RELATIONS.format(inner).encode(),
            "xl/styles.xml": _STYLES.encode(),
            "xl/worksheets/sheet1.xml": sheet.encode(),
        }
    )


def _sheet_cell(draft: Draft, row: int | None, place: int, text: str) -> str:
    """Return a cell of the sheet; `row` is the row of the table, None for lines that are no data."""
    if not text:
        return "<c/>"
    shift = sum(1 for blank in draft.blank_columns if blank < place)
    value = None if row is None else draft.rows[row][place - shift] if place - shift < len(draft.columns) else None
    if isinstance(value, int | Decimal) and text == str(value):
        return f"<c><v>{value}</v></c>"
    if isinstance(value, datetime.datetime):
        days = (value - _FIRST_DAY) / datetime.timedelta(days=1)
        return f'<c s="2"><v>{days:.10f}</v></c>'
    if isinstance(value, datetime.date) and draft.date_style is iso:
        return f'<c s="1"><v>{(value - _FIRST_DAY.date()).days}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
