import { expect } from "chai";
import fc from "fast-check";
import { PiiRuleError } from "../../../../../sdk/safety/pii/rules/custom.ts";
import { createPiiScanner } from "../../../../../sdk/safety/pii/scan.ts";

const scanner = createPiiScanner();

/** `rule: found text` for everything found. */
function found(text: string, { scan } = scanner): string[] {
  return scan(text).map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`);
}

const random = (length: number) => "q7Rt2Xw9Lk4Bn6Vd1Fs8Hj3Gm5Pc0Zy7Tq2Wx9Kd4Nb6".slice(0, length);

/** Keys of Hugging Face may have no digit. */
const LETTERS = "qRtXwLkBnVdFsHjGmPcZyTqWxKdNbAeUiO";

describe("PII rules", () => {
  /** Text, and what is found in it: values made up for these tests, or published test vectors. */
  const cases: readonly (readonly [text: string, ...expected: string[]])[] = [
    // The source's examples
    [
      "send to 0x52908400098527886E0F7030069857D2E4169EE7.",
      "WALLET_ADDRESS: 0x52908400098527886E0F7030069857D2E4169EE7",
    ],
    [
      "eip155:1:0x52908400098527886e0f7030069857d2e4169ee7_pool",
      "WALLET_ADDRESS: 0x52908400098527886e0f7030069857d2e4169ee7",
    ],
    [`sk-${random(24)}`, `API_KEY: sk-${random(24)}`],
    [`pk-${random(20)} and key-${random(20)}`, `API_KEY: pk-${random(20)}`, `API_KEY: key-${random(20)}`],
    // Providers
    [`sk-proj-${random(40)}`, `API_KEY: sk-proj-${random(40)}`],
    [`x-api-key: sk-ant-api03-${random(46)}-${random(46)}AA`, `API_KEY: sk-ant-api03-${random(46)}-${random(46)}AA`],
    [`export GITHUB_TOKEN=ghp_${random(36)}`, `API_KEY: ghp_${random(36)}`],
    ["AKIAIOSFODNN7EXAMPLE", "API_KEY: AKIAIOSFODNN7EXAMPLE"],
    [`https://eth-mainnet.g.alchemy.com/v2/${random(32)}`, `API_KEY: g.alchemy.com/v2/${random(32)}`],
    [`bot 123456789:AA${random(33)} runs`, `API_KEY: 123456789:AA${random(33)}`],
    [`login --token hf_${random(34)}`, `API_KEY: hf_${random(34)}`],
    [`login --token hf_${LETTERS}`, `API_KEY: hf_${LETTERS}`],
    ["hf_requiredCharacteristicTypesForDisplayMetadata and hf_servingcellpriorityparametersdescription_h_prio"],
    [
      `t=xoxe-4726837507825-4848681849303-4856614048758-${"e0b1f3d4".repeat(4)}`,
      `API_KEY: xoxe-4726837507825-4848681849303-4856614048758-${"e0b1f3d4".repeat(4)}`,
    ],
    [`bot MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${random(27)}`, `API_KEY: MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${random(27)}`],
    ["export BUNDLE_GEMS__CONTRIBSYS__COM=cafebabe:deadbeef", "API_KEY: cafebabe:deadbeef"],
    [
      "key = AKIAXXXXXXXXXXXXXXXX, bP88Q~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, glc_111111111111111111111111111111111111111111",
    ],
    // What public pages hold, or what only its name makes a secret, is told of
    [`src="maps?key=AIzaSy${random(33)}"`, `SECRET: AIzaSy${random(33)}`],
    ['<add key="ClearTextPassword" value="CleartextPassword1" />', "SECRET: CleartextPassword1"],
    ['<add key="ClearTextPassword" value="%PASSWORD_OF_IT%" />'],
    ["apiVersion: v1\ndata:\n  extra: 'YWRtaW46cGFzc3dvcmQ='\nkind: 'Secret'\n", "SECRET: YWRtaW46cGFzc3dvcmQ="],
    ["apiVersion: v1\ndata:\n  extra: 'YWRtaW46cGFzc3dvcmQ='\nkind: ConfigMap\n"],
    ['curl -u "d2LkV78zLx!t:" https://localhost:9200', "SECRET: d2LkV78zLx!t"],
    // Keys of wallets
    [
      "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
      "EXTENDED_PRIVATE_KEY: xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    ],
    [
      "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
      "WIF_KEY: 5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
    ],
    ["5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK"],
    [
      "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
      "ENCRYPTED_KEY: 6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
    ],
    // Addresses of other chains
    ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "BITCOIN_ADDRESS: 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"],
    ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3"],
    ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "BITCOIN_ADDRESS: bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
    ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp"],
    ["7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq", "SOLANA_ADDRESS: 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq"],
    ["pay vitalik.eth or pay.bob.eth", "ENS_NAME: vitalik.eth", "ENS_NAME: pay.bob.eth"],
    ["web3.eth.getBalance(a) and name.ether"],
    // People
    ["mail ada@example.org, please", "EMAIL: ada@example.org"],
    ["<ada.l+x@mail.example.co.uk>", "EMAIL: ada.l+x@mail.example.co.uk"],
    ["@handle, a@b, @, x@.com"],
    ["call +44 20 7946 0958 now", "PHONE: +44 20 7946 0958"],
    ["(415) 555-0132", "PHONE: (415) 555-0132"],
    ["415-555-0132 x", "PHONE: 415-555-0132"],
    ["block 19876543, 1700000000 s, 1000000000000000000 wei, 2024-05-01 12:30, 1,234,567.89"],
    ["4242 4242 4242 4242", "CARD: 4242 4242 4242 4242"],
    ["378282246310005", "CARD: 378282246310005"],
    ["4242 4242 4242 4243"],
    ["GB82 WEST 1234 5698 7654 32", "IBAN: GB82 WEST 1234 5698 7654 32"],
    ["GB82 WEST 1234 5698 7654 33"],
    // What is called secret
    ["password: hunter2hunter", "SECRET: hunter2hunter"],
    ["postgres://bob:s3cr3tpw@localhost:5432/x", "SECRET: s3cr3tpw"],
    ["token: $TOKEN_VALUE1, password: <your-password>, secret = process.env.SECRET1"],
    // Nothing at all
    ["The quick brown fox, state-of-the-art, https://docs.example.org/a/b/c_d?e=f#section-12"],
    ["commit 52908400098527886e0f7030069857d2e4169ee7"],
  ];
  for (const [text, ...expected] of cases) {
    it(
      expected.length === 0 ? `find nothing in ${text.slice(0, 60)}` : `find ${expected.join(", ").slice(0, 80)}`,
      () => {
        expect(found(text)).to.deep.equal(expected);
      },
    );
  }

  it("find PEM keys, with line ends as such and escaped, and not their mention", () => {
    const pem = `-----BEGIN EC PRIVATE KEY-----\n${"MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY".repeat(2)}\n-----END EC PRIVATE KEY-----`;

    expect(found(`key:\n${pem}\n`)).to.deep.equal([`PEM_KEY: ${pem}`]);
    expect(found(JSON.stringify({ pem })).join()).to.match(/^PEM_KEY: -----BEGIN.*END EC PRIVATE KEY-----$/);
    expect(found("begins with -----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----")).to.deep.equal([]);
    expect(
      found("-----BEGIN PUBLIC KEY-----\nMFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE\n-----END PUBLIC KEY-----"),
    ).to.deep.equal([]);
  });

  it("find the JSON of a wallet file", () => {
    const file = {
      crypto: {
        cipher: "aes-128-ctr",
        ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        kdf: "pbkdf2",
        kdfparams: { c: 262144, dklen: 32, prf: "hmac-sha256" },
        mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
      },
      version: 3,
    };

    for (const text of [JSON.stringify(file), JSON.stringify(file, undefined, 2)]) {
      expect(scanner.scan(text).map(({ rule }) => rule)).to.include("KEYSTORE_JSON");
    }
    expect(scanner.scan("the ciphertext, its kdf and its mac").map(({ rule }) => rule)).to.deep.equal([]);
  });

  it("find JSON web tokens by their header", () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "1234567890" })}.${random(43)}`;

    expect(found(`Bearer ${token}`)).to.deep.equal([`JWT: ${token}`]);
    expect(found(`${part({ foo: "bar baz" })}.${part({ sub: "1234567890" })}.x`)).to.deep.equal([]);
  });

  it("never look at a value longer than it is, whatever stands around it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
        const text = `${before} 0x52908400098527886E0F7030069857D2E4169EE7 ${after}`;
        for (const { start, end } of scanner.scan(text)) {
          expect(start).to.be.within(0, text.length);
          expect(end).to.be.within(start + 1, text.length);
        }
        expect(scanner.scan(text).some(({ rule }) => rule === "WALLET_ADDRESS")).to.equal(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("take other actions, or are left out, as configured", () => {
    const own = createPiiScanner({ actions: { EMAIL: "block", WALLET_ADDRESS: "off" } });

    expect(own.scan("ada@example.org 0x52908400098527886E0F7030069857D2E4169EE7")).to.deep.equal([
      { rule: "EMAIL", action: "block", start: 0, end: 15 },
    ]);
  });

  it("of the caller run on RE2, where no pattern is slow", () => {
    const own = createPiiScanner({
      rules: [
        { name: "EVIL", pattern: "(a+)+$", action: "warn" },
        { name: "CASE_ID", pattern: "CASE-\\d+", action: "mask", label: "CASE" },
      ],
    });

    expect(found(`${"a".repeat(50_000)}! CASE-17 é CASE-18`, own)).to.deep.equal([
      "CASE_ID: CASE-17",
      "CASE_ID: CASE-18",
    ]);
    expect(own.labelOf("CASE_ID")).to.equal("CASE");
  });

  it("of the caller are refused when RE2 cannot compile them or their label is no placeholder", () => {
    expect(() => createPiiScanner({ rules: [{ name: "BACK", pattern: "(a)\\1", action: "mask" }] })).to.throw(
      PiiRuleError,
      "BACK",
    );
    expect(() => createPiiScanner({ rules: [{ name: "bad label", pattern: "a", action: "mask" }] })).to.throw(
      PiiRuleError,
      "bad label",
    );
  });
});
