"""P-256: points, strict DER, ECDSA (SPEC "Keys in bytes", "Signatures"; FIPS 186-5)."""

import hashlib

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
SPKI_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")

_INFINITY = (1, 1, 0)


def _double(point):
    x, y, z = point
    if z == 0:
        return _INFINITY
    delta = z * z % P
    gamma = y * y % P
    beta = x * gamma % P
    alpha = 3 * (x - delta) * (x + delta) % P
    x3 = (alpha * alpha - 8 * beta) % P
    z3 = 2 * y * z % P
    return x3, (alpha * (4 * beta - x3) - 8 * gamma * gamma) % P, z3


def _add_affine(point, other):
    """Jacobian plus affine."""
    x1, y1, z1 = point
    x2, y2 = other
    if z1 == 0:
        return x2, y2, 1
    zz = z1 * z1 % P
    h = (x2 * zz - x1) % P
    r = (y2 * zz * z1 - y1) % P
    if h == 0:
        return _double(point) if r == 0 else _INFINITY
    hh = h * h % P
    hhh = h * hh % P
    v = x1 * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return x3, (r * (v - x3) - y1 * hhh) % P, z1 * h % P


def _affine_all(points):
    """Many Jacobian points made affine with one inversion."""
    products = [1]
    for _, _, z in points:
        products.append(products[-1] * z % P)
    inverse = pow(products[-1], -1, P)
    result = []
    for (x, y, z), before in zip(reversed(points), reversed(products[:-1])):
        own = inverse * before % P
        inverse = inverse * z % P
        square = own * own % P
        result.append((x * square % P, y * square * own % P))
    return result[::-1]


def _window_table(point):
    """1 to 15 times a point."""
    multiples = [(point[0], point[1], 1)]
    for _ in range(14):
        multiples.append(_add_affine(multiples[-1], point))
    return _affine_all(multiples)


def _comb():
    """For each of 64 windows of 4 bits, 1 to 15 times 16^window times G."""
    tables = []
    base = G
    for _ in range(64):
        tables.append(_window_table(base))
        jacobian = (base[0], base[1], 1)
        for _ in range(4):
            jacobian = _double(jacobian)
        base = _affine_all([jacobian])[0]
    return tables


_COMB: list = []
_KEY_TABLES: dict = {}


def _times_g(scalar: int, start=_INFINITY):
    if not _COMB:
        _COMB.extend(_comb())
    point = start
    for table in _COMB:
        digit = scalar & 15
        if digit:
            point = _add_affine(point, table[digit - 1])
        scalar >>= 4
    return point


def _times(scalar: int, base):
    table = _KEY_TABLES.get(base)
    if table is None:
        table = _KEY_TABLES[base] = _window_table(base)
    point = _INFINITY
    for shift in range(252, -4, -4):
        if point[2]:
            point = _double(_double(_double(_double(point))))
        digit = scalar >> shift & 15
        if digit:
            point = _add_affine(point, table[digit - 1])
    return point


def parse_spki(data: bytes):
    """The point of a SubjectPublicKeyInfo, or None."""
    if len(data) != 91 or not data.startswith(SPKI_PREFIX):
        return None
    x, y = int.from_bytes(data[27:59], "big"), int.from_bytes(data[59:], "big")
    if x >= P or y >= P or (y * y - (x * x * x - 3 * x + B)) % P != 0:
        return None
    return x, y


def parse_der(data: bytes):
    """r and s of a strict DER signature, or None."""
    if len(data) < 8 or data[0] != 0x30 or data[1] >= 0x80 or data[1] != len(data) - 2:
        return None
    numbers = []
    at = 2
    for _ in range(2):
        if at + 2 > len(data) or data[at] != 2:
            return None
        length = data[at + 1]
        body = data[at + 2:at + 2 + length]
        if length == 0 or length >= 0x80 or len(body) != length or body[0] >= 0x80:
            return None
        if length > 1 and body[0] == 0 and body[1] < 0x80:
            return None
        numbers.append(int.from_bytes(body, "big"))
        at += 2 + length
    if at != len(data):
        return None
    return numbers[0], numbers[1]


def verify(key, message: bytes, signature: bytes, any_s: bool = False) -> bool:
    """ECDSA with SHA-256; with any_s, high s is made low first (other people's logs)."""
    numbers = parse_der(signature)
    if numbers is None:
        return False
    r, s = numbers
    if not (1 <= r < N and 1 <= s < N):
        return False
    if s > (N - 1) // 2:
        if not any_s:
            return False
        s = N - s
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, N)
    x, _, z = _times_g(digest * inverse % N, _times(r * inverse % N, key))
    if z == 0:
        return False
    return x * pow(z, -2, P) % P % N == r


def public_spki(secret: int) -> bytes:
    """For probes: the SPKI of a private scalar."""
    x, y = _affine_all([_times_g(secret)])[0]
    return SPKI_PREFIX + x.to_bytes(32, "big") + y.to_bytes(32, "big")


def _der_integer(number: int) -> bytes:
    body = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return bytes([2, len(body)]) + body


def sign(secret: int, message: bytes) -> bytes:
    """For probes: a low-s signature with a nonce hashed from key and message."""
    digest = hashlib.sha256(message).digest()
    nonce = int.from_bytes(hashlib.sha512(secret.to_bytes(32, "big") + digest).digest(), "big") % (N - 1) + 1
    r = _affine_all([_times_g(nonce)])[0][0] % N
    s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * secret) % N
    body = _der_integer(r) + _der_integer(min(s, N - s))
    return bytes([0x30, len(body)]) + body
