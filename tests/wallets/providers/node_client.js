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
  const accountOrder = {
    email: 'ada@example.com',
    is_permanent: true,
    bvn: '22212345678',
    tx_ref: 'va_node',
    narration: 'Ada Obi',
  };
  const virtual = await client.VirtualAcct.create({ ...accountOrder });
  const dynamic = await client.VirtualAcct.create({
    email: 'ada@example.com',
    is_permanent: false,
    tx_ref: 'va_once',
    amount: 700,
  });
  const paid = [];
  for (const amount of [1000.1, 5]) {
    const response = await fetch(`${baseUrl}sandbox/pay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ account_number: virtual.data.account_number, amount }),
    });
    paid.push(await response.json());
  }
  const verified = await client.Transaction.verify({ id: paid[0].id });
  const verifiedByReference = await client.Transaction.verify_by_tx({ tx_ref: 'va_node' });
  const noTransaction = await client.Transaction.verify({ id: 999 });
  const transactions = await client.Transaction.fetch({ tx_ref: 'va_node', status: 'successful' });
  const refund = await client.Transaction.refund({ id: String(paid[1].id), amount: 2 });
  process.stdout.write(
    JSON.stringify({
      virtual,
      dynamic,
      paid,
      verified,
      verifiedByReference,
      noTransaction,
      transactions,
      refund,
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
