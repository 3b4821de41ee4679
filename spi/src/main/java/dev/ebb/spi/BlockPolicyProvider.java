package dev.ebb.spi;

/**
 * Makes instances of one eviction strategy. The service type of a policy plugin: a public class
 * with a public constructor without parameters, listed in {@code
 * META-INF/services/dev.ebb.spi.BlockPolicyProvider}.
 *
 * @since 1.0.0
 */
public interface BlockPolicyProvider {

  /**
   * Returns the name by which users choose the strategy: {@code eviction.policy = name}.
   *
   * @return lower-case letters, digits and inner dashes, for example {@code "s3-fifo"}
   */
  String name();

  /**
   * Makes an instance. Several may live side by side (one per device, tier, tenant or replay run),
   * so nothing may be kept in statics.
   *
   * @param context what the instance may know of its host; its settings must be read before this
   *     returns, so that a wrong one is reported immediately
   * @return a new policy that holds no entries
   * @throws SettingException if a setting is wrong; thrown by {@link Settings}, or by the provider
   *     for a combination that cannot work
   */
  BlockPolicy<?> create(PolicyContext context);
}
