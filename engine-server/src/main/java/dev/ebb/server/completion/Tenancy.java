package dev.ebb.server.completion;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.http.Json;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests share cached prefixes: those of the same tenant with the same salt. A
 * client that shares a prefix sees by {@code cached_tokens}, and by the time, that it was sent
 * before.
 *
 * @param shared whether all tenants share
 * @param keys whether API keys name tenants
 */
record Tenancy(String model, boolean shared, boolean keys) {

  /** Returns the tenant of an API key, or else the one that the client names. */
  static @Nullable String tenant(String owner, @Nullable String user) {
    return owner.isEmpty() ? user : owner;
  }

  /**
   * Returns the namespace of requests without salt.
   *
   * @param tenant that of the requests; null if they have none
   */
  Namespace ofTenant(@Nullable String tenant) {
    return keys && tenant != null ? namespace(tenant, null, null) : namespace("", tenant, null);
  }

  /**
   * Returns the namespace of a request.
   *
   * @param owner the tenant of its API key; empty if there is none
   * @param user the tenant that the client names; ignored if the key has one
   */
  Namespace namespace(String owner, @Nullable String user, @Nullable String salt) {
    Namespace all = Namespace.of(model);
    String authentic = shared ? "" : owner;
    String claimed = shared || !owner.isEmpty() ? null : user;
    // As JSON, so that the end of a name is never read as the beginning of a salt.
    return authentic.isEmpty() && claimed == null && salt == null
        ? all
        : all.withSalt(Json.text(Arrays.asList(authentic, claimed, salt)));
  }
}
