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
export { type Capability, CapabilityError, type CapabilityErrorCode } from "./gate/capability.ts";
export { openTradeGate, type Performed, type TradeGate, type TradeGateOptions, type Validation } from "./gate/gate.ts";
export {
  type ChainalysisOptions,
  chainalysisScreen,
  SanctionsError,
  type SanctionsErrorCode,
  type SanctionsScreen,
} from "./gate/sanctions.ts";
