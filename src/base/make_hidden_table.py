#!/usr/bin/env python3
"""Writes hidden_code_points.inc: ranges of code points that a reader does not see, or that change what stands around them.

    python3 src/base/make_hidden_table.py > src/base/hidden_code_points.inc

By properties of Unicode, of the version that this Python knows: format characters (Cf), controls, private use, surrogates,
line and paragraph separators, noncharacters, Variation_Selector and Default_Ignorable_Code_Point, which is derived as
DerivedCoreProperties.txt says. Beyond them: the few that have a glyph without ink.
"""
import unicodedata

# Other_Default_Ignorable_Code_Point and Variation_Selector: stable lists, PropList.txt.
OTHER_IGNORABLE = [(0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x2065, 0x2065), (0x3164, 0x3164),
                   (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF)]
VARIATION = [(0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF)]
# Blank Braille, null notehead, Khitan filler; controls of hieroglyphs that later versions added; interlinear annotation.
NO_INK = [(0x2800, 0x2800), (0x1D159, 0x1D159), (0x16FE4, 0x16FE4), (0x13430, 0x1345F), (0xFFF9, 0xFFFB)]


def hidden(code):
    if any(low <= code <= high for low, high in OTHER_IGNORABLE + VARIATION + NO_INK):
        return True
    if 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE:
        return True
    if code >= 0xE0000:  # tags and the private planes
        return True
    return unicodedata.category(chr(code)) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")


def main():
    ranges = []
    for code in range(0x110000):
        if not hidden(code):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    print(f"// Made by make_hidden_table.py from Unicode {unicodedata.unidata_version}. Do not edit.")
    for low, high in ranges:
        print(f"{{0x{low:04X}, 0x{high:04X}}},")


main()
