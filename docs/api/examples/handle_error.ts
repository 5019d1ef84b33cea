const { BASE_URL, ACCESS_TOKEN } = process.env;

/** Requests a withdrawal; retries what may succeed later with the same key. */
async function withdraw(idempotencyKey: string, body: object, attempts = 5) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${BASE_URL}/v1/api/wallet/withdraw`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ACCESS_TOKEN}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify(body),
    });
    const result = await response.json();
    if (response.ok) return result.data.withdrawalRequest;
    const code = response.headers.get("X-Error-Code");
    const retryable =
      [429, 500, 502, 503].includes(response.status) || code === "request_in_progress";
    if (!retryable || attempt === attempts) {
      throw new Error(`${code}: ${result.message} (${response.headers.get("X-Request-ID")})`);
    }
    const seconds = Number(response.headers.get("Retry-After") ?? 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

try {
  await withdraw("withdrawal-1843", {
    amount: 900000000,
    currency: "KES",
    bank_name: "Equity Bank Kenya",
    account_name: "Adaora Nwosu",
    account_number: "0180290011",
  });
} catch (error) {
  console.log((error as Error).message);
}
