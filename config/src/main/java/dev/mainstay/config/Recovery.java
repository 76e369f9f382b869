package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.core.guard.GuardSettings;
import dev.mainstay.core.recovery.Preset;
import dev.mainstay.core.settings.Setting;

/** How calls are carried out, and what guards targets and providers. */
public record Recovery(
    @Setting(
            value =
                "A named set of the values below. You can also set each value by itself. A preset"
                    + " that names a number of attempts makes that many at one target, even after"
                    + " time-outs.",
            byDefault = "standard")
        Preset preset,
    @Setting(value = "The values themselves.", inline = true) CallSettings calls,
    @Setting(value = "What guards targets and providers.", inline = true) GuardSettings guards,
    @Setting("The bounds on concurrent attempts.") InFlight inFlight) {

  Recovery withPreset(Preset value) {
    return new Recovery(value, calls.withPolicy(value.applyTo(calls.policy())), guards, inFlight);
  }
}
