/** The small words of English that carry a sentence's logic: which way things go, what is denied, what is hedged. */

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""));

/** Going up: of whatever follows, or of the subject where nothing follows. */
export const UP =
  list(`raise raises raised raising increase increases increased increasing increasingly rise rises rose risen rising grow grows grew grown
  growing growth climb climbs boost boosts boosted boosting amplify amplifies amplified amplifying magnify magnifies enlarge enlarges expand
  expands expanded expanding widen widens widening wider deepen deepens deeper improve improves improved improving enhance enhances
  enhanced maximise maximises maximize maximizes accelerate accelerates elevate elevates elevated multiply multiplies double doubles
  doubled doubling triple triples add adds added adding more higher highest high larger large largest greater greatest bigger big surge
  surges spike spikes jump jumps soar soars appreciate appreciates inflate inflates inflated strengthen strengthens extend extends
  longer thicker steeper heavier stronger strong heavy strongly worsen worsens worsening aggravate aggravates exacerbate exacerbates
  introduce introduces create creates cause causes caused causing induce induces generate generates produce produces lead leads leading
  bring brings trigger triggers drive drives deep wide huge most heighten heightens intensify intensifies compound compounds additional
  bear bears carry carries suffer suffers face faces incur incurs invite invites attract attracts encourage encourages
  maximum upward upwards up rich richer extra abundant scale scales mount mounts`);

/** Going down, or kept from happening. */
export const DOWN =
  list(`deduct deducts deducted deducting subtract subtracts subtracted lower lowers lowered lowering lowest low reduce reduces reduced reducing reduction decrease decreases decreased
  decreasing decline declines declined declining fall falls fell fallen falling drop drops dropped dropping shrink shrinks shrank shrinking
  cut cuts cutting diminish diminishes diminished lessen lessens minimise minimises minimize minimizes mitigate mitigates mitigated
  mitigating dampen dampens less fewer small smaller smallest narrow narrower narrows narrowing tight tighter shallow shallower thin
  thinner shorter shorten shortens weak weaker weaken weakens depreciate depreciates erode erodes eroded eroding deplete depletes
  compress compresses curb curbs ease eases alleviate alleviates remove removes removed removing prevent prevents prevented preventing
  avoid avoids avoided avoiding stop stops stopped stopping blocked deter deters suppress suppresses discourage discourages
  lose loses losing least minimal minimum crash crashes collapse collapses collapsed plunge plunges tumble tumbles sink sinks
  down downward downwards decay decays limits limit offset offsets decreasingly forfeit forfeits forgo forgoes break breaks breaking broke
  scarce scarcer dry little destroy destroys cancel cancels halve halves halving`);

/** Gone altogether. */
export const GONE = list(
  "eliminate eliminates eliminated eliminating elimination erase erases vanish vanishes disappear disappears abolish nullify nullifies",
);

export const NEGATIONS =
  list(`not never cannot can't cant won't wont don't dont doesn't doesnt didn't isn't isnt aren't arent wasn't weren't
  shouldn't wouldn't couldn't mustn't needn't neither nor hardly unable impossible impossib fails refuses`);

/** Absence of what follows. */
export const ABSENCES = list("no zero without lacking lacks lack none absent absence nil neglig negligible ");

export const IGNORED_CONDITION = list("regardless irrespective independently whatever whichever notwithstanding");

export const UNAFFECTED = list(
  "unaffected irrelevant independent unrelated uninfluenced insensitive immaterial agnostic",
);

export const AMBIGUOUS = list(
  "ambiguous depends depend depending indeterminate mixed unclear inconclusive undetermined",
);

export const CONDITIONS = list("if when whenever once while until as where during upon whilst");

export const NEGATIVE_CONDITIONS = list("unless except");

/** Where a new statement starts. */
export const BREAKS = list(
  "but so because since whereas therefore however although though yet hence thus thereby which who whose meaning instead otherwise rather",
);

export const BELOW = list("below under beneath underneath");
export const ABOVE = list("above over exceed exceeds exceeding exceeded past");

export const PRONOUNS = list("it its they their them this these those itself themselves such");

export const AUXILIARIES =
  list(`is are was were be been being am has have had having do does did can could may might must shall should will would
  become becomes became becoming remain remains stay stays keep keeps kept keeping continue continues continued gets cannot can't don't doesn't isn't
  aren't won't makes make made making gives give given giving lets`);

export const UNIVERSAL = list(
  "always all every each any invariably never whenever cannot guaranteed guarantees guarantee certainly entirely completely fully zero no",
);

export const HEDGES = list(
  "can could may might sometimes often usually typically generally partly partially potentially likely tend tends mostly",
);

/** Verbs whose two sides can not change places. Value: which side gives. */
export const TRANSFERS: ReadonlyMap<string, "gives" | "takes"> = new Map(
  Object.entries({
    gives:
      "pay pays paid paying owe owes lend lends lent compensate compensates compensated reimburse reimburses subsidise subsidises subsidize subsidizes sends send",
    takes:
      "receive receives received receiving collect collects earn earns earned earning charge charges charged borrow borrows",
  }).flatMap(([side, words]) => words.split(" ").map((word) => [word, side as "gives" | "takes"] as const)),
);

/** Verbs that start a predicate though they say nothing of direction; before them stands the subject. */
export const VERBS =
  list(`gains loses dilute dilutes hide hides flatten flattens steepen steepens isolate isolates overstate overstates understate understates
  compensate compensates execute executes assume assumes persist persists profits transfers rewards penalises penalizes liquidate liquidates cascade cascades ends ceases lags updates
  allow allows allowed let enable enables require requires need needs mean means provide provides offer offers
  let act acts show shows use uses help helps set sets take takes hold holds allow suffer suffers bear bears carry carries
  exceed exceeds guarantee guarantees ensure ensures protect protects expose exposes pay pays earn earns receive receives collect collects
  accrue accrues charge charges represent represents contain contains include includes determine determines depend depends
  read reads react reacts respond responds follow follows track tracks equal equals match matches work works revert reverts fail fails
  trade trades move moves stay belong belongs come comes go goes happen happens occur occurs apply applies serve serves
  delay delays affect affects influence influences diversifies secures secure freeze freezes sell sells buy buys own owns
  benefit benefits hurt hurts harm harms damage damages diverge diverges converge converges manipulate steal expire expires
  vote votes change changes distribute distributes redeem redeems burn burns mint mints lock locks unlock unlocks hedge hedges
  share shares vary varies fluctuate fluctuates differ differs survive survives recover recovers slash slashes seize seizes settle settles`);

/** Nouns as often as verbs: a verb after a plural ("searchers profit from"). */
export const BASE_VERBS = list(
  "profit end reward transfer update trade cover suit lag split cost stake lock move fall rise drop gain charge offer face flow",
);

export const PREPOSITIONS =
  list(`to from with at by for on into onto against between among through across over under after before within via per
  than toward towards around about out off near upon along beside besides onto compared relative versus in`);

/** Words without content of their own. */
export const FUNCTION_WORDS =
  list(`a an the and or of in to from with at by for on into onto against between among through across via per than toward
  towards around about off near along beside besides that there here then also just very much even still only own too
  far well quite rather almost nearly roughly approximately significantly substantially slightly somewhat considerably simply really
  both either some many several few various certain enough most other such like how what why who whom whose where
  i you we he she us our your my his her one ones itself same each every any all always ever often usually typically generally
  sometimes frequently may might could can would should will shall do does did has have had is are was were be been being am
  become becomes became make makes made making give gives given giving get gets got keep keeps kept remain remains stay stays continue
  continues let lets because so but if when while once until unless as since whereas therefore however although though yet hence thus
  again already now today currently directly automatically particular specific given due versus vs etc eg ie
  compared relative per therein thereof whether upon during within without out up down over under once s t ve re ll d m don
  it its they their them this these those itself themselves`);
