/**
 * Letters that look like a Latin letter, as pairs "look-alike, Latin". Only what NFKC leaves alone stands here; source: the shapes of
 * Unicode's confusables data (UTS 39), cut down to the scripts that fonts draw alike.
 */
const PAIRS =
  // Cyrillic
  "аaвbеeкkмmнhоoрpсcтtуyхxёeіiїiјjѕsԁdһhԛqԝwѵvӏlԍgпnгrиuьbєeЄEАAВBЕEКKМMНHОOРPСCТTУYХXІIЇIЈJЅSԌGӀIҮYүyҺHԚQԜW" +
  // Greek
  "αaβbεeζzηnιiκkμuνvοoρpτtυuχxωwγyσoϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹC" +
  // Armenian
  "օoոnսuհhցgզqյjՏSՍUՕOԼLք" +
  "pժd" +
  // Latin letters that carry no separable mark, and small capitals
  "ıiłlŁLøoØOđdĐDħhĦHŧtŦTɑaɡgɩiɪiʟlɴnʀrꜱsᴀaʙbᴄcᴅdᴇeꜰfɢgʜhᴊjᴋkᴌlᴍmᴏoᴘpᴛtᴜuᴠvᴡwʏyᴢzƒfɓbɗdɛeɔcəeɐaɯmʇtʌvʍwʎyɹrǝe" +
  // Cherokee and Lisu capitals
  "ᎪAᎬEᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᎩYᏃZᏟCᎠDᏀGᏴBꓐBꓑPꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU";

const TABLE: ReadonlyMap<string, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, i) => [PAIRS.charAt(2 * i), PAIRS.charAt(2 * i + 1)]),
);

/** The Latin letter a character is drawn like, or undefined. */
export function latinLookAlike(character: string): string | undefined {
  return TABLE.get(character);
}

/** Letters in a box, a disc or a flag, which NFKC does not turn into letters. */
export function boxedLetter(codePoint: number): string | undefined {
  for (const first of [0x1f150, 0x1f170, 0x1f1e6]) {
    if (codePoint >= first && codePoint < first + 26) return String.fromCharCode(0x61 + codePoint - first);
  }

  return undefined;
}
