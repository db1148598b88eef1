/** Why knowledge could not be taken in: every refusal and failure of this module has one of these codes. */
export type IngestionErrorCode =
  // Input
  | "EntryMalformed"
  | "VerdictMalformed"
  | "VerdictRefused"
  | "EntryTooLarge"
  | "BatchTooLarge"
  // State
  | "EntryUnknown"
  | "StageConflict"
  | "ProvenanceUnconfirmed"
  | "ScreeningMissing"
  | "SandboxMissing"
  | "VectorUnavailable"
  | "StoreLocked"
  | "StoreForeign"
  // Ports
  | "EmbedderUnavailable"
  | "EmbeddingInvalid"
  | "ReasonerMisconfigured"
  | "ReasonerInputTooLarge"
  | "ReasonerUnavailable"
  | "ReasonerRefused"
  | "ReasonerAnswerInvalid"
  | "RegistryUnavailable"
  // Exchange
  | "FrameInvalid"
  // Archives
  | "ArchiveUnreadable"
  | "ArchiveFormatUnknown"
  | "ArchiveTruncated"
  | "ArchiveTooLarge"
  | "ArchiveTooManyFiles"
  | "ArchiveTooDense"
  | "ArchiveEncrypted"
  | "ArchivePathUnsafe"
  | "ArchiveNameCollision"
  | "ArchiveLink"
  | "ArchiveDevice"
  | "ArchiveFileTypeRefused"
  | "ArchiveForeignIndex"
  | "ArchiveContentInvalid"
  | "ArchiveEmpty"
  | "ImportDamaged";

/** A refusal or failure of knowledge ingestion: a stable `code` and one sentence that says what to do. Never carries content. */
export class IngestionError extends Error {
  override readonly name = "IngestionError";
  readonly code: IngestionErrorCode;

  constructor(code: IngestionErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}
