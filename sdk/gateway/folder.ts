/** Where a gateway keeps what outlives it. */
export const DATA_FOLDER = "policycage-gateway";
