package dev.ebb.spi;

import java.util.function.Function;

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

  /**
   * Returns a provider that creates instances with a function, for {@link PolicyPlugin}.
   *
   * @param name the result of {@link #name}
   * @param factory the function that {@link #create} calls
   * @return a new provider
   * @since 1.6.0
   */
  static BlockPolicyProvider of(String name, Function<PolicyContext, BlockPolicy<?>> factory) {
    return new BlockPolicyProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public BlockPolicy<?> create(PolicyContext context) {
        return factory.apply(context);
      }
    };
  }
}
