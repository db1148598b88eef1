/** Five related pieces that an owner knows: as many as layer two needs to vote alone. */
export const OWN = [
  "Higher utilisation raises the borrow rate.",
  "When utilisation rises, the borrow rate rises.",
  "The borrow rate increases with utilisation.",
  "Lower utilisation lowers the borrow rate.",
  "Rising utilisation increases the borrow rate.",
];

/** What somebody else claims, and the pieces agree with. */
export const ENTRY = "High utilisation makes the borrow rate rise sharply.";
