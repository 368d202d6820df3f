/**
 * Layer 2: the point arithmetic of the two curves, made of noble's general one. noble's `p256` and `ed25519` would bring
 * signing, key agreement, recovery and hashing to curves into every browser that verifies.
 */

import { type EdwardsPointCons, edwards } from "@noble/curves/abstract/edwards.js";
import { type WeierstrassPointCons, weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { ED25519_D, ED25519_FIELD } from "./ed25519.js";
import { P256_B, P256_FIELD, P256_ORDER } from "./p256.js";

/** NIST P-256 (SEC 2 section 2.4.2). */
export const p256: { readonly Point: WeierstrassPointCons<bigint> } = {
  Point: weierstrass({
    p: P256_FIELD,
    n: P256_ORDER,
    h: 1n,
    a: P256_FIELD - 3n,
    b: P256_B,
    Gx: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    Gy: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  }),
};

/** Edwards25519 (RFC 8032 section 5.1). */
export const ed25519: { readonly Point: EdwardsPointCons } = {
  Point: edwards({
    p: ED25519_FIELD,
    n: 2n ** 252n + 27742317777372353535851937790883648493n,
    h: 8n,
    a: ED25519_FIELD - 1n,
    d: ED25519_D,
    Gx: 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
    Gy: 0x6666666666666666666666666666666666666666666666666666666666666658n,
  }),
};
