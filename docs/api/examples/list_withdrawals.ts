const { BASE_URL, ACCESS_TOKEN } = process.env;

for (let page = 1, pages = 1; page <= pages; page++) {
  const response = await fetch(
    `${BASE_URL}/v1/api/withdrawals?status=Pending&sort=createdAt&limit=100&page=${page}`,
    { headers: { Authorization: `Bearer ${ACCESS_TOKEN}` } },
  );
  if (!response.ok) throw new Error(await response.text());
  const { data } = await response.json();
  for (const withdrawal of data.withdrawals) {
    console.log(withdrawal.reference, withdrawal.amount, withdrawal.currency);
  }
  pages = data.pages;
}
