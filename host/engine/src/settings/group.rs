//! Definitions of settings. The documentation of a field is its comment in the shipped file, its
//! default is written once, and its bounds are checked for every source of values.

use super::value::{Raw, Refused};

/// A setting, as it is documented.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its table: `politeness`.
    pub group: &'static str,
    /// Its name in there: `delay`.
    pub name: &'static str,
    /// Its documentation, line by line.
    pub about: &'static [&'static str],
    /// Its default, as TOML.
    pub default: String,
}

impl Definition {
    /// The full name: `politeness.delay`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.group, self.name)
    }

    /// The variable that sets it: `MAGPIE_POLITENESS_DELAY`.
    pub fn variable(&self) -> String {
        format!("{}{}_{}", super::VARIABLES, self.group, self.name).to_ascii_uppercase()
    }
}

/// A table of settings.
pub trait Group: Default {
    /// The table's name.
    const NAME: &'static str;
    /// The documentation of the group, line by line.
    const ABOUT: &'static [&'static str];

    /// Its settings, in the order in which they are shown.
    fn definitions() -> Vec<Definition>;

    /// Sets the setting of the group with this name.
    fn set(&mut self, name: &str, raw: &Raw) -> Result<(), Refused>;

    /// All values, in the order of the definitions.
    fn values(&self) -> Vec<String>;
}

/// Makes a struct for each group, and `Settings` with all of them.
macro_rules! groups {
    ($(
        $(#[doc = $about:literal])*
        $group:ident: $type:ident {$(
            $(#[doc = $meaning:literal])*
            $name:ident: $value:ty = $default:expr $(, within $bounds:expr)?;
        )+}
    )+) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $type {
                $($(#[doc = $meaning])* pub $name: $value,)+
            }

            impl Default for $type {
                fn default() -> Self {
                    Self { $($name: $default,)+ }
                }
            }

            impl Group for $type {
                const NAME: &'static str = stringify!($group);
                const ABOUT: &'static [&'static str] = &[$($about),*];

                fn definitions() -> Vec<Definition> {
                    let defaults = Self::default();
                    vec![$(Definition {
                        group: Self::NAME,
                        name: stringify!($name),
                        about: &[$($meaning),*],
                        default: Value::write(&defaults.$name),
                    },)+]
                }

                /// Sets the setting of the group with this name.
    fn set(&mut self, name: &str, raw: &Raw) -> Result<(), Refused> {
                    match name {
                        $(stringify!($name) => {
                            let value = <$value as Value>::read(raw).ok_or_else(|| <$value as Value>::refusal(raw))?;
                            $(
                                let bounds: std::ops::RangeInclusive<$value> = $bounds;
                                if !bounds.contains(&value) {
                                    let (least, most) = bounds.into_inner();
                                    return Err(Refused::Bounds { least: Value::write(&least), most: Value::write(&most) });
                                }
                            )?
                            self.$name = value;
                        })+
                        _ => return Err(Refused::Unknown),
                    }
                    Ok(())
                }

                fn values(&self) -> Vec<String> {
                    vec![$(Value::write(&self.$name),)+]
                }
            }
        )+

        /// All settings, as they are in force.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Settings {
            $($(#[doc = $about])* pub $group: $type,)+
        }

        impl Settings {
            /// The settings there are, group by group.
            pub fn definitions() -> Vec<Definition> {
                [$(<$type as Group>::definitions(),)+].concat()
            }

            /// The groups with what they are about.
            pub fn groups() -> Vec<(&'static str, &'static [&'static str])> {
                vec![$((<$type as Group>::NAME, <$type as Group>::ABOUT),)+]
            }

            /// The values in force, in the order of the definitions, as TOML.
            pub fn values(&self) -> Vec<String> {
                [$(self.$group.values(),)+].concat()
            }

            pub(super) fn set(&mut self, group: &str, name: &str, raw: &Raw) -> Result<(), Refused> {
                match group {
                    $(<$type as Group>::NAME => self.$group.set(name, raw),)+
                    _ => Err(Refused::Unknown),
                }
            }
        }
    };
}
pub(super) use groups;
