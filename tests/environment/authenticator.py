"""A software authenticator: what a browser returns for a passkey, right or wrong on request."""

import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn import base64url_to_bytes
from webauthn.helpers import bytes_to_base64url

ORIGIN = "http://localhost"
RP_ID = "localhost"
_PRESENT, _VERIFIED, _ATTESTED = 0x01, 0x04, 0x40


@dataclass
class Authenticator:
    """One security key with one credential; `counter` is that of its last use."""

    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    counter: int = 0
    counts: bool = True

    def create(self, options: str, **wrong: Any) -> str:
        """Return the response to `navigator.credentials.create`, with attestation "none"."""
        public = self.key.public_key().public_numbers()
        cose = cbor2.dumps(
            {1: 2, 3: -7, -1: 1, -2: public.x.to_bytes(32, "big"), -3: public.y.to_bytes(32, "big")}
        )
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cose
        data = self._data(_ATTESTED, **wrong) + attested
        return self._credential(
            clientDataJSON=self._client_data("webauthn.create", options, **wrong),
            attestationObject=cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data}),
        )

    def get(self, options: str, **wrong: Any) -> str:
        """Return the response to `navigator.credentials.get`.

        `wrong` may give `origin`, `rp_id`, `verified`, `present`, `challenge`, `counter`, `kind`
        and `signer`, another authenticator.
        """
        client_data = self._client_data("webauthn.get", options, **wrong)
        data = self._data(0, **wrong)
        signed = data + hashlib.sha256(client_data).digest()
        signer: Authenticator = wrong.get("signer", self)
        return self._credential(
            clientDataJSON=client_data,
            authenticatorData=data,
            signature=signer.key.sign(signed, ec.ECDSA(hashes.SHA256())),
        )

    def _data(self, flags: int, **wrong: Any) -> bytes:
        self.counter = wrong.get("counter", self.counter + self.counts)
        flags |= _PRESENT if wrong.get("present", True) else 0
        flags |= _VERIFIED if wrong.get("verified", True) else 0
        rp_id = wrong.get("rp_id", RP_ID)
        return hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, self.counter)

    def _client_data(self, ceremony: str, options: str, **wrong: Any) -> bytes:
        challenge = wrong.get("challenge", json.loads(options)["challenge"])
        origin = wrong.get("origin", ORIGIN)
        kind = wrong.get("kind", ceremony)
        return json.dumps({"type": kind, "challenge": challenge, "origin": origin}).encode()

    def _credential(self, **response: bytes) -> str:
        name = bytes_to_base64url(self.id)
        encoded = {key: bytes_to_base64url(value) for key, value in response.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": encoded})


def with_signature_changed(credential: str) -> str:
    """Return the response with one bit of its signature changed."""
    changed = json.loads(credential)
    signature = bytearray(base64url_to_bytes(changed["response"]["signature"]))
    signature[-1] ^= 1
    changed["response"]["signature"] = bytes_to_base64url(bytes(signature))
    return json.dumps(changed)
