import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { DAY_MS } from "../../../../sdk/core/units.ts";
import { archiveOld } from "../../../../sdk/gateway/audit/archive.ts";
import { AuditLog } from "../../../../sdk/gateway/audit/log.ts";
import { chainRows, readRows } from "../../../../sdk/gateway/audit/read.ts";
import type { InferenceLog } from "../../../../sdk/gateway/audit/record.ts";
import { verifyAudit } from "../../../../sdk/gateway/audit/verify.ts";

const BEGUN = Date.UTC(2027, 0, 1);
const DAYS = 20;

describe("the archive of the audit log", () => {
  let folder: string;
  const files = () =>
    globSync("archive/*", { cwd: folder })
      .map((path) => basename(path))
      .sort();
  const pathOf = (name: string) => join(folder, "archive", name);
  const ids = () => [...chainRows(folder)].map(({ record }) => JSON.parse(record).request_id);
  const all = Array.from({ length: DAYS }, (_, day) => `day ${day}`);
  const faults = async () => (await verifyAudit(folder)).faults.map(({ code, seq }) => `${code} ${seq}`);
  const at = (days: number) => BEGUN + days * DAY_MS;
  let log: AuditLog;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "policycage-archive-"));
    log = new AuditLog(folder);
    for (const [day, id] of all.entries()) {
      const record = { request_id: id, agent_id: String(day % 2), timestamp: at(day) } as InferenceLog;
      log.begin(record);
      log.finish(record);
    }
    await log.signed();
  });
  afterEach(async () => {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("takes rows that are older than 90 days, verified and found as before, and the log goes on", async () => {
    await archiveOld(log, folder, at(90));
    expect(files()).to.deep.equal([]);
    await archiveOld(log, folder, at(95));
    await archiveOld(log, folder, at(100));
    expect(files()).to.deep.equal(["000000000000001.jsonl.gz", "000000000000006.jsonl.gz"]);
    log.begin({ request_id: "next", agent_id: "7", timestamp: at(100) } as InferenceLog);
    log.finish({ request_id: "next", agent_id: "7", timestamp: at(100) } as InferenceLog);
    await log.signed();

    expect(ids()).to.deep.equal([...all, "next"]);
    expect(await verifyAudit(folder)).to.deep.equal({ rows: DAYS + 1, faults: [] });
    const found = (query: Parameters<typeof readRows>[1]) => readRows(folder, query).map(({ seq }) => seq);
    expect(found({ agentId: "1", limit: 7 })).to.deep.equal([8, 10, 12, 14, 16, 18, 20]);
    expect(found({ since: at(4), agentId: "0" })).to.deep.equal([5, 7, 9, 11, 13, 15, 17, 19]);
    expect(found({ limit: 3 })).to.deep.equal([19, 20, 21]);
    await log.close();
    log = new AuditLog(folder);
    expect(ids().length).to.equal(DAYS + 1);
  });

  it("never takes the last row, nor one that a sink waits for", async () => {
    await archiveOld(log, folder, at(300));
    expect(ids()).to.deep.equal(all);
    await log.close();
    log = new AuditLog(folder, undefined, { sinks: ["s3"], mostRows: 100 });
    const record = { request_id: "next", agent_id: "7", timestamp: at(100) } as InferenceLog;
    log.begin(record);
    log.finish(record);
    // A row that is not signed may be lost yet.
    expect(log.unsent("s3", 100)).to.deep.equal([]);
    await log.signed();
    await archiveOld(log, folder, at(301));
    expect(log.unsent("s3", 100).map(({ seq }) => seq)).to.deep.equal([DAYS, DAYS + 1]);
    log.sent("s3", DAYS + 1);
    await archiveOld(log, folder, at(302));
    expect(log.unsent("s3", 100)).to.deep.equal([]);
    expect(await faults()).to.deep.equal([]);
  });

  it("shows a changed byte, a removed row and a file that is gone or is none", async () => {
    await archiveOld(log, folder, at(95));
    await archiveOld(log, folder, at(100));
    const [first = "", second = ""] = files();
    const bytes = readFileSync(pathOf(second));
    const lines = gunzipSync(bytes).toString();
    const put = (text: string) => writeFileSync(pathOf(second), gzipSync(text));

    put(lines.replace("day 7", "day x"));
    expect(await faults()).to.deep.equal(["ROW_CHANGED 8"]);
    const numbered = (text: string, from: number, to: number) => text.replace(`{"seq":${from},`, `{"seq":${to},`);
    put(numbered(numbered(numbered(lines, 8, 0), 9, 8), 0, 9));
    expect(await faults()).to.include("ROW_MISSING 8");
    put(lines.slice(0, lines.trimEnd().lastIndexOf("\n") + 1));
    expect((await faults()).join()).to.match(/^ROW_MISSING \d+/);
    put(lines.replace(/^.*day 7.*\n/m, ""));
    expect(await faults()).to.include("ROW_MISSING 8");
    writeFileSync(pathOf(second), bytes.subarray(0, bytes.length - 20));
    expect(await faults()).to.include("ARCHIVE_UNREADABLE 6");
    rmSync(pathOf(second));
    expect(await faults()).to.include("ROW_MISSING 6");
    writeFileSync(pathOf(second), bytes);
    expect(await faults()).to.deep.equal([]);
    rmSync(pathOf(first));
    expect(await faults()).to.include("ROW_MISSING 1");
  });

  it("has each row once where a process died between the file and the log", async () => {
    await log.close();
    const before = join(folder, "before");
    cpSync(join(folder, "audit.sqlite"), before);
    log = new AuditLog(folder);
    await archiveOld(log, folder, at(100));
    await log.close();
    cpSync(before, join(folder, "audit.sqlite"));
    log = new AuditLog(folder);
    expect(files().length).to.equal(1);
    expect(ids()).to.deep.equal(all);
    expect(readRows(folder).map(({ seq }) => seq)).to.deep.equal(all.map((_, index) => index + 1));
    expect(await faults()).to.deep.equal([]);
    await archiveOld(log, folder, at(102));
    // The same file again, and more of it.
    expect(files()).to.deep.equal(["000000000000001.jsonl.gz"]);
    await log.close();
    cpSync(before, join(folder, "audit.sqlite"));
    log = new AuditLog(folder);
    log.drop(4, 4);
    await archiveOld(log, folder, at(104));
    expect(files()).to.deep.equal(["000000000000001.jsonl.gz", "000000000000005.jsonl.gz"]);
    expect(readRows(folder).map(({ seq }) => seq)).to.deep.equal(all.map((_, index) => index + 1));
    expect(ids()).to.deep.equal(all);
    expect(await faults()).to.deep.equal([]);
  });

  it("is kept for a year, and where the log begins after it is signed", async () => {
    await archiveOld(log, folder, at(95));
    await archiveOld(log, folder, at(100));
    const [first = ""] = files();
    const bytes = readFileSync(pathOf(first));
    await archiveOld(log, folder, at(369));
    expect(files()).to.include(first);
    await archiveOld(log, folder, at(370));
    expect(files()).not.to.include(first);
    expect(ids()).to.deep.equal(all.slice(5));
    expect(await verifyAudit(folder)).to.deep.equal({ rows: DAYS - 5, faults: [] });
    // What is removed before its time is missed, and what was removed does no harm where it comes back.
    writeFileSync(pathOf(first), bytes);
    expect(await faults()).to.deep.equal([]);
    rmSync(pathOf(first));
    const head = JSON.parse(readFileSync(join(folder, "audit-head.json"), "utf8"));
    writeFileSync(join(folder, "audit-head.json"), JSON.stringify({ ...head, first: { ...head.first, seq: 9 } }));
    expect(await faults()).to.include("HEAD_UNREADABLE null");
  });
});
