// Drives the provider's own Node client against the base address in argv and prints what it got.
// usage: node node_client.js <folder of the package> <base address ending in "/"> <secret key>
'use strict';

const [folder, baseUrl, secretKey] = process.argv.slice(2);
const Flutterwave = require(folder);

async function main() {
  const client = new Flutterwave('FLWPUBK_TEST-sandbox-X', secretKey, baseUrl);
  const banks = await client.Bank.country({ country: 'NG' });
  const ghana = await client.Bank.country({ country: 'GH' });
  const branches = await client.Bank.branches({ id: ghana.data[0].id });
  const account = await client.Misc.verify_Account({
    account_bank: '044',
    account_number: '0690000032',
  });
  const unknown = await client.Misc.verify_Account({
    account_bank: '044',
    account_number: '0000000000',
  });
  const order = {
    account_bank: '044',
    account_number: '0690000032',
    amount: 90.02,
    currency: 'NGN',
    debit_currency: 'NGN',
    narration: 'Withdrawal',
    reference: 'payout_node',
    beneficiary_name: account.data.account_name,
  };
  const transfer = await client.Transfer.initiate({ ...order });
  const again = await client.Transfer.initiate({ ...order });
  const refused = await client.Transfer.initiate({
    ...order,
    account_number: '0690000036',
    reference: 'payout_refused',
  });
  const one = await client.Transfer.get_a_transfer({ id: transfer.data.id });
  const list = await client.Transfer.fetch({ reference: 'payout_node' });
  const every = await client.Transfer.fetch();
  const fee = await client.Transfer.fee({ amount: 50000, currency: 'NGN' });
  const balances = await client.Misc.bal();
  process.stdout.write(
    JSON.stringify({
      banks,
      branches,
      account,
      unknown,
      transfer,
      again,
      refused,
      one,
      list,
      every,
      fee,
      balances,
    }),
  );
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
