/** How long screening a text may take by default, in milliseconds. */
export const SCREENING_MS = 5_000;

/** Characters of a text that are screened by default. */
export const MAX_SCREENED_LENGTH = 2_000_000;
