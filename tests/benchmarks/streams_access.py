"""Print access tokens of as many new organisations as the argument says, as JSON."""

import json
import sys

import django

if __name__ == "__main__":
    django.setup()
    from tests.factories.api_clients import make_caller

    print(json.dumps([make_caller().token for _ in range(int(sys.argv[1]))]))
