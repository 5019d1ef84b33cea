import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

/** Returns the event; throws for a wrong signature and for one older than five minutes. */
function verify(headers: Record<string, string>, body: string, secret: string) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"] ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) throw new Error("too old");
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const genuine = signatures.split(" ").some((part) => {
    const signature = Buffer.from(part.replace(/^v1,/, ""), "base64");
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!genuine) throw new Error("wrong signature");
  return JSON.parse(body);
}

const env = process.env as Record<string, string>;
const event = verify(
  {
    "webhook-id": env.WEBHOOK_ID ?? "",
    "webhook-timestamp": env.WEBHOOK_TIMESTAMP ?? "",
    "webhook-signature": env.WEBHOOK_SIGNATURE ?? "",
  },
  readFileSync(0, "utf-8"),
  env.WEBHOOK_SECRET ?? "",
);
console.log(event.type);
