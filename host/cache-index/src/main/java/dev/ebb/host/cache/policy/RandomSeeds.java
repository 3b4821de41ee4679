package dev.ebb.host.cache.policy;

import java.security.SecureRandom;

/**
 * Seeds that nobody can guess. The generator is created once, because a plugin can remove or
 * replace the security providers that another one would need.
 */
public final class RandomSeeds {

  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomSeeds() {}

  public static long next() {
    return RANDOM.nextLong();
  }
}
