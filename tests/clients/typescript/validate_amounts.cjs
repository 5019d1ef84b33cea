// Prints the amounts of cases.json that ajv refuses by their schema.
const fs = require("node:fs");
const Ajv = require("ajv/dist/2020");

const ajv = new Ajv({ strict: false });
const refused = JSON.parse(fs.readFileSync("cases.json")).flatMap(({ schema, amounts }) => {
  const accepts = ajv.compile(schema);
  return amounts.filter((amount) => !accepts(amount));
});
console.log(JSON.stringify(refused));
