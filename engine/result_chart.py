"""A chart that an answer drew, as a program has it: Vega-Lite, Altair, and pictures that need no network."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from struct import unpack
from typing import Any

from prompt.words import Language

from .deliver import PICTURES, form_of
from .new_file import check_free, new_file
from .settings import ChartSettings
from .told import told_in

_SIZE_IN_PNG = slice(16, 24)


@dataclass(frozen=True, eq=False, repr=False)
class Chart:
    """A chart; `artifact` is what the chart step left."""

    artifact: Mapping[str, Any]
    _language: Language
    _settings: ChartSettings
    _sources: tuple[Path, ...] = ()

    @property
    def spec(self) -> dict[str, Any]:
        """Return the Vega-Lite specification, its data inside."""
        from .chart import vega_lite

        return vega_lite(self.artifact, self._language, self._settings)

    def altair(self) -> Any:
        """Return the chart as an `altair.Chart`; how that is displayed is Altair's choice and may need the network."""
        from .chart import altair_chart

        return altair_chart(self.spec)

    def html(self) -> str:
        """Return a page that needs no network. Raises PictureError."""
        return self._drawn("html").decode()

    def svg(self) -> str:
        """Return the chart as SVG. Raises PictureError."""
        return self._drawn("svg").decode()

    def png(self) -> bytes:
        """Return the chart as a PNG. Raises PictureError."""
        return self._drawn("png")

    def save(self, path: str | Path) -> Path:
        """Write the chart to a new file, .png, .svg, .html or .json (Vega-Lite). Raises ExportError, PictureError."""
        with told_in(self._language, None):
            path = Path(path)
            form = form_of(path, PICTURES)
            check_free(path, self._sources)
            content = self._drawn(form)
            with new_file(path) as growing:
                growing.write_bytes(content)
        return path

    def __repr__(self) -> str:
        from .text_chart import text_chart

        return "\n".join(text_chart(self.artifact, self._language, self._settings, width=self._settings.text_width))

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the chart as a notebook shows it: the picture in its size on the screen, and lines of text."""
        png = self.png()
        width, height = (round(side / self._settings.scale) for side in unpack(">II", png[_SIZE_IN_PNG]))
        return {"image/png": png, "text/plain": repr(self)}, {"image/png": {"width": width, "height": height}}

    def _drawn(self, form: str) -> bytes:
        from .picture import picture

        with told_in(self._language, None):
            return picture(self.spec, form, self._settings.scale)
