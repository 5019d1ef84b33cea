# Reads the request body from standard input and its headers from variables.
key=$(printf '%s' "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
case " $WEBHOOK_SIGNATURE " in
  *" v1,$expected "*) echo "genuine" ;;
  *) echo "wrong signature" >&2; exit 1 ;;
esac
