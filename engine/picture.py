"""Vega-Lite as a picture or a page. The only module that knows vl-convert; nothing is ever fetched."""

import json
from collections.abc import Mapping
from typing import Any

import vl_convert

from .new_file import PictureError

FORMATS = ("png", "svg", "html", "json")


def picture(spec: Mapping[str, Any], form: str, scale: float) -> bytes:
    """Return a drawing as a PNG, an SVG, a page that needs no network, or the specification itself as JSON."""
    text = json.dumps(spec, ensure_ascii=False, allow_nan=False)
    try:
        match form:
            case "png":
                png: bytes = vl_convert.vegalite_to_png(text, scale=scale, allowed_base_urls=[])
                return png
            case "svg":
                return str(vl_convert.vegalite_to_svg(text, allowed_base_urls=[])).encode()
            case "html":
                return str(vl_convert.vegalite_to_html(text, bundle=True)).encode()
            case _:
                return (json.dumps(spec, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    except ValueError as error:
        raise PictureError("not_drawn", detail=str(error).split("\n", 1)[0]) from error
