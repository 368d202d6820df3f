"""Ed25519 without cofactor (SPEC "Keys in bytes", "Signatures"; RFC 8032)."""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
_D2 = 2 * D % P
_ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
SPKI_PREFIX = bytes.fromhex("302a300506032b6570032100")
_MASK = 2**255 - 1

_SMALL_ORDER_Y = {
    0,
    1,
    P - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
}
_NEUTRAL = (0, 1, 1, 0)


def _add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = p[3] * q[3] * _D2 % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(p):
    a = p[0] * p[0] % P
    b = p[1] * p[1] % P
    c = 2 * p[2] * p[2] % P
    h = a + b
    e = h - (p[0] + p[1]) ** 2 % P
    g = a - b
    f = c + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _table(point):
    multiples = [point]
    for _ in range(14):
        multiples.append(_add(multiples[-1], point))
    return multiples


def _encode(point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(data: bytes):
    number = int.from_bytes(data, "little")
    y, sign = number & _MASK, number >> 255
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P != 0:
        x = x * _ROOT_OF_MINUS_ONE % P
        if (v * x * x - u) % P != 0:
            return None
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


_BASE = _decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
_COMB: list = []
_KEY_TABLES: dict = {}


def _times_base(scalar: int, start=_NEUTRAL):
    if not _COMB:
        base = _BASE
        for _ in range(64):
            _COMB.append(_table(base))
            for _ in range(4):
                base = _double(base)
    point = start
    for table in _COMB:
        digit = scalar & 15
        if digit:
            point = _add(point, table[digit - 1])
        scalar >>= 4
    return point


def _times(scalar: int, base):
    table = _KEY_TABLES.get(base)
    if table is None:
        table = _KEY_TABLES[base] = _table(base)
    point = _NEUTRAL
    for shift in range(252, -4, -4):
        point = _double(_double(_double(_double(point))))
        digit = scalar >> shift & 15
        if digit:
            point = _add(point, table[digit - 1])
    return point


def parse_key(data: bytes):
    """A 32-byte key as (bytes, point), or None."""
    if len(data) != 32:
        return None
    y = int.from_bytes(data, "little") & _MASK
    if y >= P or y in _SMALL_ORDER_Y:
        return None
    point = _decode(data)
    return None if point is None else (data, point)


def parse_spki(data: bytes):
    if len(data) != 44 or not data.startswith(SPKI_PREFIX):
        return None
    return parse_key(data[12:])


def verify(key, message: bytes, signature: bytes) -> bool:
    """The encoding of [S]B - [k]A equals R byte for byte."""
    if len(signature) != 64:
        return False
    data, (x, y, z, t) = key
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    r_y = int.from_bytes(r, "little") & _MASK
    if s >= L or r_y >= P or r_y in _SMALL_ORDER_Y:
        return False
    k = int.from_bytes(hashlib.sha512(r + data + message).digest(), "little") % L
    negative = (P - x, y, z, P - t)
    return _encode(_times_base(s, _times(k, negative))) == r


def _expand(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254, digest[32:]


def public_key(seed: bytes) -> bytes:
    """For probes: the 32-byte key of a seed."""
    return _encode(_times_base(_expand(seed)[0]))


def sign(seed: bytes, message: bytes) -> bytes:
    """For probes: an RFC 8032 signature."""
    scalar, prefix = _expand(seed)
    key = _encode(_times_base(scalar))
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    r = _encode(_times_base(nonce))
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    return r + ((nonce + k * scalar) % L).to_bytes(32, "little")
