export {
  type Fit,
  type FitQuestion,
  openPreflightBuffer,
  type PreflightBuffer,
  type Reconciliation,
  type Reservation,
  type SpentTransaction,
} from "./buffer/buffer.ts";
export { BufferError, type BufferErrorCode } from "./buffer/errors.ts";
