package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.PluginJarBuilder;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class PluginGuardTest {

  @TempDir private Path home;

  /** Runs statements in the method of a plugin that has a context of the host. */
  private void run(String statements) {
    String source =
        """
        package acme;

        import dev.ebb.spi.*;
        import java.lang.invoke.MethodHandles;
        import java.lang.reflect.*;
        import java.util.*;

        public final class Opens implements BlockPolicyProvider {
          private int own = 1;

          private static void open(PolicyContext context) throws ReflectiveOperationException {
            %s
          }

          public String name() { return "opens"; }

          public BlockPolicy<?> create(PolicyContext context) {
            try {
              open(context);
            } catch (ReflectiveOperationException refused) {
              throw new IllegalStateException(refused);
            }
            return new RankedBlockPolicy() {
              protected double rank(Entry entry) { return 0; }
            };
          }
        }
        """
            .formatted(statements);
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .compiledAgainst(LoggerFactory.class)
            .provider("acme.Opens", source);
    try (Generation generation = Generations.load(jar, home, "acme.jar")) {
      assertThat(Generations.provider(generation).create(new NoContext())).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "context.getClass().getDeclaredConstructor().setAccessible(true);",
        "AccessibleObject it = context.getClass().getDeclaredConstructor();"
            + " it.setAccessible(true);",
        "AccessibleObject.setAccessible(context.getClass().getDeclaredConstructors(), true);",
        "for (Executable each : context.getClass().getDeclaredConstructors())"
            + " { if (each != null) each.setAccessible(true); }",
        "Arrays.stream(RankedBlockPolicy.class.getDeclaredFields())"
            + ".forEach(each -> each.setAccessible(true));",
        "RankedBlockPolicy.class.getDeclaredMethod(\"rank\", Entry.class).setAccessible(true);",
        "Class.forName(\"org.slf4j.LoggerFactory\").getDeclaredFields()[0].setAccessible(true);"
      })
  void membersOfTheHostStayClosed(String statements) {
    assertThatThrownBy(() -> run(statements))
        .isInstanceOf(InaccessibleObjectException.class)
        .message()
        .containsAnyOf("NoContext", "RankedBlockPolicy", "LoggerFactory")
        .contains("belongs to Ebb", "dev.ebb.spi");
  }

  @Test
  void aTryReturnsFalse() {
    run(
        "if (context.getClass().getDeclaredConstructor().trySetAccessible())"
            + " throw new IllegalStateException(\"open\");");
  }

  @Test
  void privateLookupsInTheHostAreRefused() {
    assertThatThrownBy(
            () -> run("MethodHandles.privateLookupIn(context.getClass(), MethodHandles.lookup());"))
        .hasRootCauseInstanceOf(IllegalAccessException.class)
        .hasStackTraceContaining("'" + NoContext.class.getName() + "', which belongs to Ebb");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Field own = Opens.class.getDeclaredField(\"own\"); own.setAccessible(true);"
            + " own.setInt(new Opens(), 2);",
        "AccessibleObject.setAccessible(Opens.class.getDeclaredFields(), true);",
        "if (!Opens.class.getDeclaredField(\"own\").trySetAccessible())"
            + " throw new IllegalStateException(\"closed\");",
        "MethodHandles.privateLookupIn(Opens.class, MethodHandles.lookup())"
            + ".findVarHandle(Opens.class, \"own\", int.class).set(new Opens(), 2);",
        "context.getClass().getDeclaredConstructor().setAccessible(false);",
        "Entry.class.getMethod(\"accesses\").setAccessible(true);",
        "ArrayList.class.getMethod(\"size\").setAccessible(true);"
      })
  void whatIsThePluginsOwnOrPublicIsOpen(String statements) {
    run(statements);
  }

  @Test
  void theJvmDecidesAboutItsOwnMembers() {
    assertThatThrownBy(() -> run("String.class.getDeclaredField(\"value\").setAccessible(true);"))
        .isInstanceOf(InaccessibleObjectException.class)
        .hasMessageContaining("java.base");
  }
}
