package dev.ebb.host.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueInstantiators;
import tools.jackson.databind.deser.std.StdValueInstantiator;
import tools.jackson.databind.module.SimpleModule;

/**
 * Calls constructors of records by plain reflection. Jackson calls them by method handles, for
 * which the JVM generates classes for each number of components. In a command that reads one
 * document, that takes more CPU time than all else.
 */
final class RecordConstructors extends SimpleModule {

  private static final long serialVersionUID = 1L;

  @Override
  public void setupModule(SetupContext context) {
    super.setupModule(context);
    context.addValueInstantiators(
        new ValueInstantiators.Base() {
          @Override
          public ValueInstantiator modifyValueInstantiator(
              DeserializationConfig config,
              BeanDescription.Supplier type,
              ValueInstantiator standard) {
            return type.getBeanClass().isRecord() && standard instanceof StdValueInstantiator std
                ? new Reflective(std)
                : standard;
          }
        });
  }

  private static final class Reflective extends StdValueInstantiator {

    Reflective(StdValueInstantiator standard) {
      super(standard);
    }

    @Override
    public Object createFromObjectWith(DeserializationContext context, Object[] arguments) {
      if (!(_withArgsCreator.getAnnotated() instanceof Constructor<?> constructor)) {
        return super.createFromObjectWith(context, arguments);
      }
      try {
        return constructor.newInstance(arguments);
      } catch (InvocationTargetException invalid) {
        return context.handleInstantiationProblem(
            getValueClass(), arguments, invalid.getTargetException());
      } catch (ReflectiveOperationException | IllegalArgumentException differs) {
        return context.handleInstantiationProblem(getValueClass(), arguments, differs);
      }
    }
  }
}
