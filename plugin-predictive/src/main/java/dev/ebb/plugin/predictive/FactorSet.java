package dev.ebb.plugin.predictive;

/** The groups of factors that a model learns; named after their number without the hint. */
enum FactorSet {
  /** Age, use count, depth and position. */
  SIP_4(4),
  /** Also how much of the prompt was known, and how many blocks were new. */
  SIP_6(6),
  /** Also the length of the answer. */
  SIP_7(7);

  private final int groups;

  FactorSet(int groups) {
    this.groups = groups;
  }

  /** Returns the number of groups, in the order of {@link Factor}. */
  int groups() {
    return groups;
  }
}
