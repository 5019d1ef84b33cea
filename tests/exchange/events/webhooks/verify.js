// Verifies one request, given as JSON on standard input, with the public Node verifier.
// node verify.js <folder of the package> <secret>; prints the event's type, exits 1 when refused.
const { Webhook } = require(process.argv[2]);
const request = JSON.parse(require("fs").readFileSync(0, "utf8"));
try {
  const event = new Webhook(process.argv[3]).verify(request.body, request.headers);
  console.log(event.type);
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
