package dev.ebb.host.app;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The classes whose log lines below WARN users see. */
class LoggedClassesTest {

  private static List<String> names() throws JoranException {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        requireNonNull(LoggedClassesTest.class.getResource("/logback.xml"), "no logback.xml"));
    return context.getLoggerList().stream()
        .filter(logger -> logger.getLevel() != null)
        .map(Logger::getName)
        .filter(name -> name.startsWith("dev.ebb"))
        .toList();
  }

  @Test
  void changesOfTheBatchSizeAreLogged() throws JoranException {
    assertThat(names()).contains("dev.ebb.host.engine.sequence.RequestRecorder");
  }

  @Test
  void whatChangesAndWhatWorksAgainIsLogged() throws JoranException {
    assertThat(names())
        .contains("dev.ebb.host.runtime.RuntimeConfig", "dev.ebb.host.disk.DiskWriter");
  }

  @Test
  void everyNamedClassExists() throws JoranException {
    assertThat(names()).allSatisfy(name -> assertThat(Class.forName(name)).isNotNull());
  }
}
