//! `vocabulary!`: a closed list of words, written once, with its wire form, its parser and its list of all members.

/// Declares a closed vocabulary: an enum whose members have one wire form each.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $vis enum $name {
            $($(#[$vmeta])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// Every member, in declared order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The wire form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($text => Ok(Self::$variant),)+ _ => Err($crate::UnknownWord(stringify!($name))) }
            }
        }
    };
}
