"""The origin of the back office in browsers, for passkeys of staff; without it they are off."""

from config.settings.environment import env

# https with a host name, which an IP address is not, or this machine. The host is the RP id.
ORIGIN = env.text(
    "PASSKEY_ORIGIN",
    pattern=(
        r"https://([a-z0-9-]+\.)*(?=[0-9-]*[a-z])[a-z0-9-]+(:[0-9]{1,5})?"
        r"|http://localhost(:[0-9]{1,5})?"
    ),
    example="https://exchange.example",
)
