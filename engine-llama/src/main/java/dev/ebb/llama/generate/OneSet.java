package dev.ebb.llama.generate;

import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tokens.TokenAlias;

/** Checks {@code ebb.tokens} for a cache whose cells belong to all layers and heads together. */
final class OneSet {

  private static final String UNIFORM = "uniform";

  private OneSet() {}

  /** Refuses settings that need other tokens in each layer or head. */
  static void require(TokensConfig tokens, String policy) {
    TokenAlias method = TokenAlias.resolve(policy, tokens.budget().name());
    if (TokenAlias.names().contains(policy)) {
      String plain = method.policy().equals(policy) ? "snapkv" : method.policy();
      throw needs("'%s'".formatted(policy), "take '%s'".formatted(plain));
    } else if (!method.budget().equals(UNIFORM)) {
      throw needs("ebb.tokens.budget = %s".formatted(method.budget()), "take 'uniform'");
    } else if (!tokens.layers().isEmpty()) {
      throw needs("ebb.tokens.layers", "leave it empty");
    } else if (!tokens.pressure().isEmpty()) {
      throw new UserError(
          "ebb.tokens.pressure is not for generate, which runs one policy; leave it empty");
    }
  }

  private static UserError needs(String what, String instead) {
    return new UserError(
        "%s keeps other tokens in each layer or head, but llama.cpp keeps one set for all; %s"
            .formatted(what, instead));
  }
}
