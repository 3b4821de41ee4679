/**
 * The contract between the Ebb host and the strategies it loads.
 *
 * <p>A plugin JAR offers one or more {@link dev.ebb.spi.BlockPolicyProvider}s (which entry to evict
 * next), {@link dev.ebb.spi.TokenPolicyProvider}s (which tokens stay inside a sequence), {@link
 * dev.ebb.spi.LifetimePredictorProvider}s or {@link dev.ebb.spi.PreemptionPolicyProvider}s (which
 * sequence is preempted). They are listed in {@code META-INF/services}, each or in one {@link
 * dev.ebb.spi.PolicyPlugin}, and found by {@link java.util.ServiceLoader}. Nothing here depends on
 * anything but the JDK.
 *
 * <p>Threads: the host calls one instance from one thread at a time. Strategies start no threads
 * and need no locks. Parameters and results are never null unless marked {@code @Nullable}.
 *
 * <p>Within one major version nothing here is removed or changed, and every addition to an
 * interface has a default. So a JAR built for 1.0 works with every later 1.x.
 */
@NullMarked
package dev.ebb.spi;

import org.jspecify.annotations.NullMarked;
