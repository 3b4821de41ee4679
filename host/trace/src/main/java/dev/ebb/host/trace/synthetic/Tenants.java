package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.synthetic.Rng.Popularity;

/** Tenants of uneven size, each with the system prompt that all its requests begin with. */
final class Tenants {

  private final String[] names;
  private final long[] prompts;
  private final long[] promptTokens;
  private final Popularity popularity;

  Tenants(int tenants, double medianPromptTokens, Rng dice) {
    names = new String[tenants];
    prompts = new long[tenants];
    promptTokens = new long[tenants];
    popularity = new Popularity(tenants, 1);
    for (int i = 0; i < tenants; i++) {
      names[i] = "tenant-" + i;
      prompts[i] = dice.bits();
      promptTokens[i] = dice.tokens(medianPromptTokens, 0.8);
    }
  }

  int draw(Rng dice) {
    return popularity.draw(dice);
  }

  String name(int tenant) {
    return names[tenant];
  }

  void open(int tenant, PromptBlocks prompt) {
    prompt.append(prompts[tenant], promptTokens[tenant]);
  }
}
