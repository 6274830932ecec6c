"""How far apart colours are for people with any common colour vision.

Colour blindness: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
severity 1.0, on linear RGB. Distance: CIEDE2000 (CIE 142-2001; Sharma, Wu, Dalal 2005) in CIELAB under D65.
"""
import math

VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(text):
    """#rrggbb as linear RGB."""
    parts = [int(text[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def seen(text, vision):
    """Linear RGB as people with that vision see the colour."""
    rgb = linear(text)
    return [min(1, max(0, sum(a * b for a, b in zip(row, rgb)))) for row in VISION[vision]]


def lab(rgb):
    xyz = [sum(a * b for a, b in zip(row, rgb)) for row in
           ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))]
    f = [t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in
         (xyz[0] / 0.95047, xyz[1], xyz[2] / 1.08883)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(first, second):
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1
    if c1 * c2 == 0:
        turn = 0
    elif abs(turn) > 180:
        turn += -360 if turn > 0 else 360
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    t = (1 - 0.17 * math.cos(math.radians(h - 30)) + 0.24 * math.cos(math.radians(2 * h)) +
         0.32 * math.cos(math.radians(3 * h + 6)) - 0.20 * math.cos(math.radians(4 * h - 63)))
    sl = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    turning = 30 * math.exp(-((h - 275) / 25) ** 2)
    rt = -math.sin(math.radians(2 * turning)) * 2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def distance(first, second, vision="normal"):
    return ciede2000(lab(seen(first, vision)), lab(seen(second, vision)))


def luminance(text):
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(text)))


def contrast(first, second):
    """WCAG 2.1: 1 to 21."""
    a, b = sorted((luminance(first), luminance(second)))
    return (b + 0.05) / (a + 0.05)


# Pairs of Sharma, Wu and Dalal's table: the first two, the jump of the mean hue, grey, and a dark one.
for one, other, wanted in (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
                           ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792), ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
                           ((50, 2.5, 0), (50, 0, -2.5), 4.3065), ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082)):
    assert abs(ciede2000(one, other) - wanted) < 1e-4, (one, other, ciede2000(one, other), wanted)
