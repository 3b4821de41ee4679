package dev.ebb.plugin.predictive;

/** Which groups of factors a model learns; named after how many there are without the hint. */
enum FactorSet {
  /** Age, use count, depth and position. */
  SIP_4(4),
  /** And how much of the prompt was known, and how many blocks were new. */
  SIP_6(6),
  /** And the length of the answer. */
  SIP_7(7);

  private final int groups;

  FactorSet(int groups) {
    this.groups = groups;
  }

  /** How many groups, in the order of {@link Factor}. */
  int groups() {
    return groups;
  }
}
