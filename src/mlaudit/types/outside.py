"""The words for rows outside a declared domain; apart, so that the command line reads them without numpy."""

FINITE, ANY = "finite", "any"
OUTSIDE = (FINITE, ANY)
