/**
 * What every strategy must satisfy, as plain checks and as JUnit tests.
 *
 * <p>To test a policy, add this artifact in test scope, write one small class beside your tests and
 * run them:
 *
 * <pre>{@code
 * import dev.ebb.spi.BlockPolicyProvider;
 * import dev.ebb.testkit.BlockPolicyContract;
 *
 * class MyPolicyContractTest extends BlockPolicyContract {
 *   @Override
 *   protected BlockPolicyProvider provider() {
 *     return new MyPolicyProvider();
 *   }
 * }
 * }</pre>
 *
 * <p>Each check appears as a test of its own, and all take about two seconds. A failure names the
 * broken rule of the contract, the failing call, the calls just before it, and the seed. To give
 * the policy settings, or to repeat a failure alone and at length, override {@code settings()}:
 *
 * <pre>{@code
 * @Override
 * protected CheckSettings settings() {
 *   return CheckSettings.defaults().with("ghost-factor", "0.5").withSeed(17).withRequests(20_000);
 * }
 * }</pre>
 *
 * <p>{@link dev.ebb.testkit.LifetimePredictorContract} and {@link
 * dev.ebb.testkit.TokenPolicyContract} do the same for the other two kinds of strategy.
 *
 * <p>The contract does not say which entry <em>should</em> be evicted first; your own tests do.
 * {@link dev.ebb.testkit.TestContext}, {@link dev.ebb.testkit.TestEntry}, {@link
 * dev.ebb.testkit.TestRequest} and {@link dev.ebb.testkit.TestDemand} are made for them:
 *
 * <pre>{@code
 * TestContext context = TestContext.ofCapacity(3).with("window", "10 s").withSeed(7);
 * BlockPolicy<?> policy = new MyPolicyProvider().create(context);
 * assertThat(context.unreadSettings()).isEmpty();
 * }</pre>
 *
 * <p>Without JUnit, {@link dev.ebb.testkit.BlockPolicyChecks} and its siblings list the same checks
 * as plain objects that report an {@link dev.ebb.testkit.Outcome} each. This artifact depends on
 * the contract and, for the {@code ...Contract} classes alone, on JUnit's API.
 */
@NullMarked
package dev.ebb.testkit;

import org.jspecify.annotations.NullMarked;
