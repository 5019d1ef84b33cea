"""Draws the logos of the demo tokens: `python -m config.demo.logos` writes config/static/tokens.

The sign in the middle is that of the category; colours and the woven band follow from the symbol,
so that a logo never changes by itself.
"""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path

from config.demo.tokens import TOKENS, DemoToken

FOLDER = Path(__file__).resolve().parents[1] / "static" / "tokens"

# Ground, its other end, and what is woven into the band.
_COLOURS = (
    ("#7a2e1d", "#c2572b", "#f2b134"),
    ("#14532d", "#2f8f4e", "#f4c95d"),
    ("#1e3a5f", "#2f6f9f", "#f2a65a"),
    ("#4a1d4f", "#8c3b7a", "#f6c177"),
    ("#0f4c4a", "#1f8a84", "#f7d08a"),
    ("#5b3a1a", "#a0692e", "#ffe0a3"),
    ("#3b1f6b", "#6a4bb0", "#f4a259"),
    ("#6b1d33", "#b23a53", "#f3c98b"),
    ("#26374a", "#4d6a86", "#ef8354"),
    ("#30401c", "#647d33", "#f1d36b"),
)
_INK = "#fff8ec"
# One figure a category, within 64 by 64 around the origin; {g} is the ground's colour.
_SIGNS = {
    "ETF": '<path d="M-4 -24A26 26 0 1 0 22 6H-4Z"/><path d="M4 -28A24 24 0 0 1 28 -4H4Z"/>',
    "Bond": '<rect x="-28" y="-22" width="56" height="36" rx="3"/>'
    '<path d="M-20 -12H20M-20 -4H8" stroke="{g}" stroke-width="4"/>'
    '<circle cx="14" cy="12" r="9" stroke="{g}" stroke-width="3"/>'
    '<path d="M9 19L8 30L14 26L20 30L19 19Z"/>',
    "Commercial Paper": '<path d="M-20 -28H8L22 -14V28H-20Z"/><path d="M8 -28V-14H22Z" fill="{g}"/>'
    '<path d="M-11 -6H13M-11 4H13M-11 14H4" stroke="{g}" stroke-width="4"/>',
    "Debt Note": '<ellipse cy="20" rx="26" ry="9"/>'
    '<ellipse cy="8" rx="26" ry="9" stroke="{g}" stroke-width="3"/>'
    '<ellipse cy="-4" rx="26" ry="9" stroke="{g}" stroke-width="3"/>'
    '<ellipse cy="-16" rx="26" ry="9" stroke="{g}" stroke-width="3"/>',
    "Real Estate": '<path d="M-26 28V-10L-6 -24V28ZM-2 28V-28H26V28Z"/>'
    '<path d="M-16 -4V4M-16 12V20M8 -18V-10M18 -18V-10M8 -2V6M18 -2V6M8 14V28M18 14V22" '
    'stroke="{g}" stroke-width="5"/>',
    "Private Business": '<path d="M-24 -24H24L30 -6A8 8 0 0 1 14 -4A8 8 0 0 1 0 -4A8 8 0 0 1 -14 -4'
    'A8 8 0 0 1 -30 -6Z"/><path d="M-24 6H24V28H6V12H-6V28H-24Z"/>',
    "Startup": '<path d="M0 -32C14 -20 16 0 10 16H-10C-16 0 -14 -20 0 -32Z"/>'
    '<path d="M-14 2L-24 22L-10 16ZM14 2L24 22L10 16ZM-5 20H5L0 32Z"/>'
    '<circle cy="-8" r="6" fill="{g}"/>',
    "Commodities": '<path d="M0 32V-16" stroke="{i}" stroke-width="4"/>'
    '<path d="M0 -14C-8 -20 -8 -28 0 -34C8 -28 8 -20 0 -14ZM-2 2C-16 2 -20 -8 -20 -14'
    "C-10 -14 -2 -8 -2 2ZM2 2C16 2 20 -8 20 -14C10 -14 2 -8 2 2ZM-2 20C-16 20 -20 10 -20 4"
    'C-10 4 -2 10 -2 20ZM2 20C16 20 20 10 20 4C10 4 2 10 2 20Z"/>',
    "Fund": '<path d="M0 -30L28 -16L0 -2L-28 -16Z"/>'
    '<path d="M-28 0L0 14L28 0M-28 14L0 28L28 14" fill="none" stroke="{i}" stroke-width="5"/>',
    "Art": '<rect x="-28" y="-26" width="56" height="52" rx="2"/>'
    '<rect x="-21" y="-19" width="42" height="38" fill="{g}"/>'
    '<path d="M-21 19L-6 -2L4 10L10 3L21 19Z"/><circle cx="10" cy="-9" r="5"/>',
    "Music": '<path d="M-10 -24L24 -30V-18L-10 -12Z"/><path d="M-10 -24V18M24 -30V12" '
    'stroke="{i}" stroke-width="5"/><ellipse cx="-17" cy="20" rx="10" ry="8"/>'
    '<ellipse cx="17" cy="14" rx="10" ry="8"/>',
    "Movie": '<rect x="-28" y="-6" width="56" height="34" rx="3"/>'
    '<path d="M-29 -14L26 -26L28 -17L-27 -5Z"/>'
    '<path d="M-18 -16L-12 -8M-2 -20L4 -12M14 -23L20 -15" stroke="{g}" stroke-width="5"/>'
    '<path d="M-6 2L12 11L-6 20Z" fill="{g}"/>',
    "Charity": '<path d="M0 28C-34 4 -30 -24 -14 -24C-6 -24 -2 -18 0 -13C2 -18 6 -24 14 -24'
    'C30 -24 34 4 0 28Z"/>',
}  # fmt: skip


def draw(token: DemoToken) -> str:
    """The logo as SVG."""
    dice = hashlib.sha256(token.symbol.encode()).digest()
    ground, other, woven = _COLOURS[dice[0] % len(_COLOURS)]
    sign = _SIGNS[token.category].replace("{g}", ground).replace("{i}", _INK)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img">'
        f"<title>{escape(token.name)}</title>"
        '<defs><linearGradient id="g" x2="1" y2="1">'
        f'<stop stop-color="{ground}"/><stop offset="1" stop-color="{other}"/>'
        '</linearGradient><clipPath id="c"><rect width="128" height="128" rx="24"/></clipPath>'
        '</defs><g clip-path="url(#c)"><path fill="url(#g)" d="M0 0H128V128H0Z"/>'
        f'<path fill="{ground}" d="M0 100H128V128H0Z"/>'
        f'<path fill="{woven}" d="{_band(dice)}"/></g>'
        f'<g transform="translate(64 52)" fill="{_INK}" stroke-linecap="round">{sign}</g></svg>\n'
    )


def _band(dice: bytes) -> str:
    """Two rows of eight fields, mirrored in the middle: triangles, squares and lozenges."""
    path = []
    for row in range(2):
        for column in range(4):
            shape = dice[1 + 4 * row + column] % 5
            path += [_shape(shape, x, 101 + 13 * row) for x in (16 * column, 112 - 16 * column)]
    return "".join(path)


def _shape(number: int, x: int, y: int) -> str:
    match number:
        case 0:
            return f"M{x} {y + 13}L{x + 8} {y}L{x + 16} {y + 13}Z"
        case 1:
            return f"M{x} {y}L{x + 8} {y + 13}L{x + 16} {y}Z"
        case 2:
            return f"M{x + 8} {y}L{x + 15} {y + 6.5}L{x + 8} {y + 13}L{x + 1} {y + 6.5}Z"
        case 3:
            return f"M{x + 1} {y + 1}h14v4h-14ZM{x + 1} {y + 8}h14v4h-14Z"
    return f"M{x + 4} {y + 2}H{x + 12}V{y + 11}H{x + 4}Z"


def write() -> None:
    """Writes every logo."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for token in TOKENS:
        (FOLDER / f"{token.symbol}.svg").write_text(draw(token), encoding="utf-8")


if __name__ == "__main__":
    write()
