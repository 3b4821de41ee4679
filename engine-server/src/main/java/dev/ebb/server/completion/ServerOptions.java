package dev.ebb.server.completion;

import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a server.
 *
 * @param cells KV cells; null for the model's trained context, at most 4,096 tokens
 * @param cellBytes the memory of the cells, in place of their number; null if that is given
 * @param threads those that compute; null for the usual number
 * @param flashAttention whether attention skips the cells of other sequences
 * @param scheduler the limits of the scheduler; its {@code maxBatchedTokens} are one batch
 * @param sharePrefixes whether tenants share cached prefixes
 * @param priorities how the priorities of requests are read
 * @param config the configuration file; null for the usual one
 */
public record ServerOptions(
    Path model,
    String name,
    @Nullable Integer cells,
    @Nullable Long cellBytes,
    int blockTokens,
    @Nullable Integer threads,
    boolean flashAttention,
    SchedulerOptions scheduler,
    HttpOptions http,
    boolean sharePrefixes,
    PriorityScale priorities,
    @Nullable Path config,
    List<ConfigOverride> overrides) {

  public ServerOptions {
    overrides = List.copyOf(overrides);
  }
}
